"""Python values as DynamoDB stores them: types, numbers, sizes, and what reads and writes of them cost."""
