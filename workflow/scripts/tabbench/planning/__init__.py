"""What a configuration will ask, what that costs, and what it can show."""
