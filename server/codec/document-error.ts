const maxLength = 300;

/**
 * Why bytes or text are not of their type, for a person, and without the value that was wrong: a private key in the
 * wrong place is still a private key. protobufjs: "unexpected token 'hunter2' (line 3)".
 */
export function explainDocumentError(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^\./, '') : String(error);
  const clean = text.replace(/(unexpected token|illegal number) '.*' \(line/s, '$1 (line');
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

/** Where a parser of JSON or YAML stopped, without the text around that place; empty where it does not say. */
export function findParseErrorPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const found = /at (?:line \d+, column \d+|position \d+)/.exec(message)?.[0];
  if (found !== undefined) return `, ${found}`;
  return /end of (?:JSON|data)|unterminated/i.test(message) ? ': they end in the middle' : '';
}
