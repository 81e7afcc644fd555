import * as z from 'zod';
import { type OptionGroup, type StartOption, variableOf } from '../collect/source-kind/option';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** docs/configuration.md: every setting by group, and the fields of those settings of the config file that have fields. */
export function buildConfigurationReference(groups: readonly OptionGroup[], configFile: z.ZodType): string {
  const { properties = {} } = z.toJSONSchema(configFile, { io: 'input', unrepresentable: 'any' });
  return `${introduction}
${groups.map((group) => buildGroup(group, properties)).join('\n')}
${buildEntries(properties)}`;
}

const introduction = `# Configuration

<!-- Generated from the schemas of the settings by tests/server/config/configuration-reference.test.ts. -->

A setting is given by a flag (\`npm start -- --help\`), an environment variable or a key of the config file (\`--config FILE\`,
YAML or JSON). A flag takes precedence over the variable, which takes precedence over the config file. Variables of repeatable
flags hold values separated by commas, and variables of switches \`1\` or \`0\`. [Sources](sources.md) has examples.
`;

function buildGroup({ title, options }: OptionGroup, properties: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(options).map(([key, option]) => [
    `\`${option.flags}\``,
    `\`XDSCOPE_${variableOf(option)}\``,
    key in properties ? `\`${key}\`` : 'none',
    describe(option),
  ]);
  return `## ${title}

${buildTable(['Flag', 'Variable', 'Key in the config file', 'Meaning'], rows)}`;
}

function describe({ help, choices }: StartOption): string {
  return choices === undefined ? help : `${help} (one of ${choices.join(', ')})`;
}

/** Settings with equal fields are described together. */
function buildEntries(properties: Readonly<Record<string, JsonSchema | boolean>>): string {
  const keysByTable = new Map<string, string[]>();
  for (const [key, schema] of Object.entries(properties)) {
    const fields = fieldsOf(typeof schema === 'boolean' ? {} : schema);
    if (fields.length === 0) continue;
    const table = buildTable(['Field', 'Type', 'Meaning'], fields);
    keysByTable.set(table, [...(keysByTable.get(table) ?? []), key]);
  }
  const parts = [...keysByTable].map(
    ([table, keys]) => `### Entries of ${keys.map((key) => `\`${key}\``).join(', ')}\n\n${table}`,
  );
  return `## Fields of entries\n\nPaths of files are relative to the working directory of xdscope.\n\n${parts.join('\n')}`;
}

/** Rows of name, type and meaning. Nested fields have dotted names. */
function fieldsOf(schema: JsonSchema, prefix = ''): string[][] {
  const { properties, items, additionalProperties } = schema;
  if (isSchema(items)) return fieldsOf(items, prefix);
  if (properties === undefined) {
    return isSchema(additionalProperties) ? fieldsOf(additionalProperties, `${prefix}NAME.`) : [];
  }
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isSchema(field)) return [];
    const nested = field.type === 'object' ? fieldsOf(field, `${prefix}${name}.`) : [];
    return [[`\`${prefix}${name}\``, typeOf(field), field.description ?? ''], ...nested];
  });
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf({ type, enum: choices, anyOf, items }: JsonSchema): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map((each) => (isSchema(each) ? typeOf(each) : '')).join(' or ');
  if (type === 'array') return isSchema(items) ? `list of ${typeOf(items)}s` : 'list';
  return type === 'object' ? 'mapping' : String(type ?? 'number');
}

function buildTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return `${lines.map((cells) => `| ${cells.map(escapeCell).join(' | ')} |`).join('\n')}\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
