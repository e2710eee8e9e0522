"""Types of what commands find, made of docs/schema, and of their options, made of docs/options.json: tools/result-types.py writes a module
for each kind into src/python/fusescape/found, one for the types that several kinds have, and beside that folder _options.py and _rows.py.

With --check it writes nothing, and fails if a module differs from what it would write.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "src/python/fusescape/found"
WIDTH = 140
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

Schema = dict[str, Any]


class Module:
    """Types of reports."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.classes: list[str] = []
        self.used: set[str] = set()
        self.shared: list[str] = []
        self.imports = ""

    def define(self, name: str, schema: Schema) -> None:
        if "properties" in schema:
            self.add_class(name, schema, schema["description"])
            return
        self.used.add("TypeAlias")
        alias = f"{name}: TypeAlias = {self.type_of(schema, name)!r}"
        self.classes.append(alias + docstring(schema["description"], "") if "description" in schema else alias)

    def add_class(self, name: str, schema: Schema, description: str) -> None:
        """A dictionary with these fields. Its place is before those of the objects in it."""
        self.used.add("final")
        place = len(self.classes)
        self.classes.append("")
        required, lines = schema.get("required", []), []
        fields = schema["properties"]
        for field in sorted(fields, key=lambda field: required.index(field) if field in required else len(required)):
            type_ = self.type_of(fields[field], name + "".join(map(str.capitalize, field.split("_"))))
            if field not in required:
                self.used.add("NotRequired")
                type_ = f"NotRequired[{type_}]"
            lines.append(f"    {field}: {type_}" + docstring(fields[field].get("description"), "    "))
        self.classes[place] = f"@final\nclass {name}(TypedDict):{docstring(description, '    ')}\n\n" + "\n".join(lines)

    def type_of(self, schema: Schema, name: str) -> str:
        """The type of a value; `name` is for an object without a name of its own."""
        if "$ref" in schema:
            return str(schema["$ref"]).removeprefix("#/$defs/")
        for words in ([schema["const"]] if "const" in schema else None, schema.get("enum")):
            if words is not None:
                self.used.add("Literal")
                return f"Literal[{', '.join(map(json.dumps, words))}]"
        for ways in (schema.get("oneOf"), schema.get("anyOf")):
            if ways is not None:
                return self.union([self.type_of(way, name + variant(way)) for way in ways])
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return self.union([self.type_named(type_, schema, name) for type_ in types])

    def union(self, types: list[str]) -> str:
        """A union in which all words form one literal."""
        words = [type_.removeprefix("Literal[").removesuffix("]") for type_ in types if type_.startswith("Literal[")]
        others = [type_ for type_ in types if not type_.startswith("Literal[")]
        return " | ".join(dict.fromkeys([f"Literal[{', '.join(words)}]", *others] if words else others))

    def type_named(self, type_: str, schema: Schema, name: str) -> str:
        if type_ in PLAIN:
            return PLAIN[type_]
        if type_ == "array":
            if "prefixItems" in schema:
                # A list cannot have a type per position.
                return f"tuple[{', '.join(self.type_of(item, name) for item in schema['prefixItems'])}]"
            return f"list[{self.type_of(schema['items'], name)}]"
        if "properties" in schema:
            self.add_class(name, schema, schema.get("description", "One of these."))
            return name
        return f"dict[str, {self.type_of(schema['additionalProperties'], name)}]"

    def text(self) -> str:
        names = ", ".join(sorted(self.used - {"NotRequired"} | {"TypedDict"}))
        head = f'"""{self.title}"""\n\nfrom __future__ import annotations\n{self.imports}'
        if "NotRequired" in self.used:
            # `typing` has it only from Python 3.11 on; annotations are not evaluated.
            head += f"\nfrom typing import TYPE_CHECKING, {names}"
        else:
            head += f"\nfrom typing import {names}"
        if self.shared:
            # Names of this module, too.
            head += "\n\nfrom .shared import (\n" + "".join(f"    {name} as {name},\n" for name in self.shared) + ")"
        if "NotRequired" in self.used:
            head += "\n\nif TYPE_CHECKING:\n    from typing_extensions import NotRequired"
        return "\n\n\n".join([head, *self.classes]) + "\n"


class Options(Module):
    """Types of options: any list and any mapping will do."""

    def type_named(self, type_: str, schema: Schema, name: str) -> str:
        if type_ == "array" and "prefixItems" not in schema:
            return f"Sequence[{self.type_of(schema['items'], name)}]"
        if type_ == "object":
            (member,) = {self.type_of(member, name) for member in schema.get("properties", {}).values()} or {
                self.type_of(schema["additionalProperties"], name)
            }
            return f"Mapping[str, {member}]"
        return super().type_named(type_, schema, name)

    def add_options(self, name: str, fields: Schema) -> None:
        """What a function takes."""
        lines = []
        for field, described in fields.items():
            text = f":param {field}: {described['description']}"
            lines += textwrap.wrap(text, WIDTH - 4, subsequent_indent="    ", break_on_hyphens=False)
        of = [f"{field}: {self.type_of(fields[field], name)} | None" for field in fields]
        lines = ['"""', *lines, '"""', "", *of]
        self.classes.append(f"class {name}(TypedDict, total=False):\n" + "\n".join(f"    {line}".rstrip() for line in lines))


# Options that only the search for the best stacks has.
STACK_SEARCH = {"most_layers", "most_tiles"}

# What functions in Python take: a name, the options that these are of, and those that the function has itself or not at all.
OPTIONS = {
    "EvaluateOptions": ("SweepOptions", {"tiles", "modes"} | STACK_SEARCH),
    "SweepOptions": ("SweepOptions", STACK_SEARCH),
    "StackOptions": ("SweepOptions", {"stacks"}),
    "LayerOptions": ("LayerOptions", {"layers"}),
    "HierarchyOptions": ("HierarchyOptions", set()),
    "CoresOptions": ("CoresOptions", set()),
    "AttentionOptions": ("AttentionOptions", set()),
    "StepOptions": ("AttentionOptions", {"generate", "chunk"}),
    "PublishedOptions": ("AttentionOptions", {"cached", "sees_itself", "bits", "objective", "generate", "chunk"}),
    "LinkOptions": ("LinkOptions", {"cores"}),
}


def options() -> str:
    """The module of options."""
    definitions = json.loads((ROOT / "docs/options.json").read_text())["$defs"]
    module = Options("Options of commands: made of docs/options.json by `make schema`.")
    module.imports = "\nfrom collections.abc import Mapping, Sequence"
    named = {of for of, _ in OPTIONS.values()}
    for name, definition in definitions.items():
        if name not in named:
            module.define(name, definition)
    for name, (of, without) in OPTIONS.items():
        fields = definitions[of]["properties"]
        module.add_options(name, {field: fields[field] for field in fields if field not in without})
    return module.text()


# Rows of results: the kind of report, the definition, and what is too long to be shown of each.
ROWS = {
    "Power": ("cores", "Power", ""),
    "Point": ("depth-first", "ScheduledPoint", ""),
    "ImpossiblePoint": ("depth-first", "ImpossiblePoint", ""),
    "Stack": ("optimal", "Stack", ""),
    "Fusion": ("fuse", "ChosenGroups", "stacks"),
    "Hierarchy": ("hierarchy", "Hierarchy", ""),
    "SingleCore": ("cores", "CoreAlone", ""),
    "StepCost": ("attention", "Cost", ""),
    "DividedStep": ("attention", "Divided", "energy"),
}
# What a row calls otherwise than JSON.
ROW_NAMES = {"energy_pj_by_cause": "energy", "impossible": "reasons"}
TILE = {"description": "Columns and rows of a tile of the last feature map; ``None``: the whole map.", "$ref": "#/$defs/Tile"}


class Rows(Module):
    """Objects that cannot be changed: texts, numbers, and rows in them."""

    def __init__(self, title: str, definitions: Schema) -> None:
        super().__init__(title)
        self.definitions = definitions

    def type_of(self, schema: Schema, name: str) -> str:
        named = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        if named == "Tile":
            return "Tile | None"
        if not named or named in ROWS:
            return super().type_of(schema, name)
        members = self.definitions[named].get("properties")
        if members is None:
            return self.type_of(self.definitions[named], name)
        return f"Mapping[str, {self.union([self.type_of(member, name) for member in members.values()])}]"

    def union(self, types: list[str]) -> str:
        """No words: a text may be compared with any."""
        plain = dict.fromkeys("str" if type_.startswith("Literal[") else type_ for type_ in types)
        return " | ".join(type_ for type_ in plain if type_ != "int" or "float" not in plain)

    def type_named(self, type_: str, schema: Schema, name: str) -> str:
        return f"tuple[{self.type_of(schema['items'], name)}, ...]" if type_ == "array" else super().type_named(type_, schema, name)

    def add_row(self, name: str, schema: Schema, hidden: str) -> None:
        lines = []
        for field in schema["required"]:
            if field == "tile_y_rows":
                continue
            described = TILE if field == "tile_x_columns" else schema["properties"][field]
            called = "tile" if described is TILE else ROW_NAMES.get(field, field)
            value = " = field(repr=False)" if called == hidden else ""
            lines.append(f"    {called}: {self.union([self.type_of(described, name)])}{value}" + docstring(described.get("description"), "    "))
        head = f"@dataclass(frozen=True)\nclass {name}:{docstring(schema['description'], '    ')}\n\n"
        self.classes.append(head + "\n".join(lines))


def rows() -> str:
    """The module of rows."""
    texts = []
    for name, (kind, of, hidden) in ROWS.items():
        definitions = json.loads((ROOT / f"docs/schema/{kind}-1.json").read_text())["$defs"]
        module = Rows("", definitions)
        module.add_row(name, definitions[of], hidden)
        texts += module.classes
    head = '"""Rows of results: made of docs/schema by `make schema`."""\n\nfrom __future__ import annotations\n\n'
    head += "from collections.abc import Mapping\nfrom dataclasses import dataclass, field\nfrom typing import NamedTuple"
    tile = 'class Tile(NamedTuple):\n    """The size of a tile: columns and rows of the last feature map of a stack."""\n\n'
    return "\n\n\n".join([head, tile + "    columns: int\n    rows: int", *texts]) + "\n"


def variant(schema: Schema) -> str:
    """The name of a variant that holds values; empty if it is not an object with one field."""
    fields = list(schema.get("properties", ()))
    return fields[0] if len(fields) == 1 else ""


def docstring(text: str | None, indent: str) -> str:
    if text is None:
        return ""
    lines = textwrap.wrap(text, WIDTH - len(indent) - 6)
    lines[0] = f'"""{lines[0]}'
    lines[-1] = f'{lines[-1]}"""'
    return "".join(f"\n{indent}{line}" for line in lines)


def shared_definitions(schemas: list[Schema]) -> Schema:
    """Definitions that several schemas have, all of them alike and of definitions alike."""
    having: dict[str, list[Schema]] = {}
    for schema in schemas:
        for name, definition in schema.get("$defs", {}).items():
            having.setdefault(name, []).append(definition)
    shared = {name: ways[0] for name, ways in having.items() if len(ways) > 1 and all(way == ways[0] for way in ways)}
    while lonely := [name for name, definition in shared.items() if not references(definition) <= shared.keys()]:
        for name in lonely:
            del shared[name]
    return dict(sorted(shared.items()))


def references(schema: Any) -> set[str]:
    """Names of the definitions in a schema."""
    if isinstance(schema, list):
        return set().union(*map(references, schema))
    if not isinstance(schema, dict):
        return set()
    named = {schema["$ref"].removeprefix("#/$defs/")} if "$ref" in schema else set()
    return named.union(*map(references, schema.values()))


def modules() -> dict[Path, str]:
    """Every module and its text."""
    schemas = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "docs/schema").glob("*-1.json"))}
    shared = shared_definitions(list(schemas.values()))
    module = Module("Types that reports of several kinds have: made of docs/schema by `make schema`.")
    for name, definition in shared.items():
        module.define(name, definition)
    texts = {FOLDER / "shared.py": module.text()}
    for stem, schema in schemas.items():
        module = Module(f"What is in a report of this kind: made of docs/schema/{stem}.json by `make schema`.")
        module.add_class("Report", schema, schema["description"])
        for name, definition in schema.get("$defs", {}).items():
            if name in shared:
                module.shared.append(name)
            else:
                module.define(name, definition)
        texts[FOLDER / f"{stem.removesuffix('-1').replace('-', '_')}.py"] = module.text()
    texts[FOLDER.parent / "_options.py"] = options()
    texts[FOLDER.parent / "_rows.py"] = rows()
    return texts


if __name__ == "__main__":
    wrong = [path for path, text in modules().items() if not path.exists() or path.read_text() != text]
    if sys.argv[1:] != ["--check"]:
        for path in wrong:
            path.write_text(modules()[path])
    elif wrong:
        sys.exit(f"result-types: `make schema` writes {', '.join(map(str, wrong))}")
