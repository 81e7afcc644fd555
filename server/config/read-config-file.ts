import { readFileSync } from 'node:fs';
import { parseYamlDocuments } from '../codec/parse-yaml-documents';
import { ConfigError } from '../config-error';

/** The content of the file, not validated. The YAML parser reads JSON, too. */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(
      `--config: expected a readable file, got ${JSON.stringify(file)} (${messageOf(cause)})`,
    );
  }
  let documents: readonly unknown[];
  try {
    documents = parseYamlDocuments(text);
  } catch (cause) {
    const reason = messageOf(cause);
    const isLimit = reason.startsWith('expected ');
    throw new ConfigError(`--config ${file}: ${isLimit ? reason : `expected YAML or JSON (${reason})`}`);
  }
  if (documents.length > 1) {
    throw new ConfigError(`--config ${file}: expected one document of YAML, got ${documents.length}`);
  }
  const content = documents[0] ?? null;
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    const got = Array.isArray(content) ? 'a list' : `a ${typeof content}`;
    throw new ConfigError(`--config ${file}: expected a mapping of settings, got ${got}`);
  }
  return { ...content };
}

function messageOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return message.split('\n')[0] ?? message;
}
