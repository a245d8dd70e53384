"""The part of JSON Schema that the schema of reports uses."""

from typing import Any

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_KNOWN = {
    *("$schema", "title", "type", "required", "additionalProperties", "properties"),
    *("items", "enum", "const"),
}


def violations(value: Any, schema: dict[str, Any], where: str = "report") -> list[str]:
    """What does not fit the schema, in words."""
    assert set(schema) <= _KNOWN, f"the check does not know {set(schema) - _KNOWN}"
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        fits = any(
            isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
            for name in names
        )
        if not fits:
            return [*found, f"{where}: {type(value).__name__} is none of {names}"]
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        found += [f"{where}: no {name}" for name in schema.get("required", ()) if name not in value]
        if schema.get("additionalProperties", True) is False:
            found += [f"{where}: unknown {name}" for name in value if name not in properties]
        for name, entry in value.items():
            if name in properties:
                found += violations(entry, properties[name], f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for place, entry in enumerate(value):
            found += violations(entry, schema["items"], f"{where}[{place}]")
    return found
