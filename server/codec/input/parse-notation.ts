import { YAMLParseError } from 'yaml';
import { NestingError } from '../document-nesting';
import { parseExactJson } from '../parse-exact-json';
import { mostAliases, parseYamlDocuments } from '../parse-yaml-documents';

/** The parsed documents of JSON or YAML, or the reason of the failure. Integers beyond 2^53 are bigint. */
type ParsedNotation =
  | { readonly ok: true; readonly documents: readonly unknown[] }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Present if the text exceeds a limit of structure. */
      readonly limit?: NestingError;
    };

/** The reason of an exceeded limit already states what was expected. */
export function describeUnparsed(notation: 'JSON' | 'YAML', reason: string): string {
  return reason.startsWith('expected ') ? reason : `expected ${notation}, got ${reason}`;
}

export function parseJson(text: string): ParsedNotation {
  try {
    return { ok: true, documents: [parseExactJson(text)] };
  } catch (error) {
    if (error instanceof NestingError) return { ok: false, reason: error.message, limit: error };
    return { ok: false, reason: `no JSON${placeOf(error)}` };
  }
}

/** Parses YAML like parseYamlDocuments(), but returns errors, which quote no text of the document. */
export function parseYaml(text: string): ParsedNotation {
  try {
    return { ok: true, documents: parseYamlDocuments(text) };
  } catch (error) {
    return { ok: false, reason: explain(error), ...(error instanceof NestingError && { limit: error }) };
  }
}

/** Returns the place at which a parser stopped, without the surrounding text, which may be a secret. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const found = /at (?:line \d+, column \d+|position \d+)/.exec(message)?.[0];
  if (found !== undefined) return `: it stops ${found}`;
  return /end of|unterminated/i.test(message) ? ': it ends in the middle' : '';
}

function explain(error: unknown): string {
  if (error instanceof YAMLParseError) return `no YAML${placeOf(error)}`;
  if (error instanceof RangeError) return `no YAML: ${error.message}`;
  if (error instanceof ReferenceError) {
    const isUnresolved = /^unresolved/i.test(error.message);
    return `no YAML: ${isUnresolved ? 'an alias without its anchor' : `more than ${mostAliases} uses of anchors`}`;
  }
  const message = error instanceof Error ? error.message : '';
  return message.startsWith('expected ') ? message : 'no YAML: unreadable';
}
