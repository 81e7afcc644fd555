/** Members and enum values are the spec's words; all other values may be secrets. */
const harmless = new Set(['unknown field', 'duplicate field', 'unknown enum value']);
const maxLength = 300;

/**
 * Why JSON, YAML or protobuf text is not of its type, for a person, and without the value that was wrong: a private
 * key in the wrong place is still a private key.
 */
export function explainDocumentError(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^\./, '') : String(error);
  return shorten(withoutValue(withoutToken(text)));
}

/** Where a parser of JSON or YAML stopped, without the text around that place; empty where it does not say. */
export function findParseErrorPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const found = /at (?:line \d+, column \d+|position \d+)/.exec(message)?.[0];
  if (found !== undefined) return `, ${found}`;
  return /end of (?:JSON|data)|unterminated/i.test(message) ? ': they end in the middle' : '';
}

/** protobufjs: "envoy.Type.field: expected string: 5". */
function withoutValue(text: string): string {
  const found = /^([^:]*): ([^:]*): (.*)$/s.exec(text);
  if (found === null) return text;
  const [, place = '', what = '', value = ''] = found;
  if (harmless.has(what) || /^(?:-?[\d.e+]+|true|false|null)$/i.test(value)) return text;
  return `${place}: ${what}, got ${kindOfJson(value)}`;
}

function kindOfJson(value: string): string {
  if (value.startsWith('{')) return 'an object';
  if (value.startsWith('[')) return 'a list';
  return `a string of ${Math.max(0, value.length - 2)} characters`;
}

/** protobufjs: "unexpected token 'hunter2' (line 3)". */
function withoutToken(text: string): string {
  return text.replace(/(unexpected token|illegal number) '.*' \(line/s, '$1 (line');
}

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
