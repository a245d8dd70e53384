"""How far confidences, prediction sets and their promises can be trusted, measured with truth."""
