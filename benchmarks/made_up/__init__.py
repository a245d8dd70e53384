"""Made-up stories: data as a new user has them, defaults of ours, and simple alternatives."""
