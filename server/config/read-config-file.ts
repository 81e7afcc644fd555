import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ConfigError } from './config';

/** The file's content, unchecked. YAML reads JSON too. */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError(
      `--config: expected a readable file, got ${JSON.stringify(file)} (${messageOf(cause)})`,
    );
  }
  let content: unknown;
  try {
    content = parse(text);
  } catch (cause) {
    throw new ConfigError(`--config ${file}: expected YAML or JSON (${messageOf(cause)})`);
  }
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
