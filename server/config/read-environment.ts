import { ConfigError } from '../config-error';
import { type StartOption, type StartOptions, variableOf } from './option';

type Environment = Readonly<Record<string, string | undefined>>;

/** XDSCOPE_* variables as the same values that the flags give; empty ones count as not stated. */
export function readEnvironment(options: StartOptions, env: Environment): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(options)) {
    const name = `XDSCOPE_${variableOf(option)}`;
    const text = env[name]?.trim() ?? '';
    if (text !== '') values[key] = readVariable(name, text, option);
  }
  return values;
}

/** Numbers stay text: they are checked with those of the flags, by one schema. */
function readVariable(name: string, text: string, option: StartOption): unknown {
  if (option.isList) {
    const items = text.split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }
  if (option.flags.includes('<')) {
    if (option.choices === undefined || option.choices.includes(text)) return text;
    throw new ConfigError(`${name}: expected ${option.choices.join(', ')}, got ${JSON.stringify(text)}`);
  }
  const value = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(value)) return true;
  if (['0', 'false', 'no', 'off'].includes(value)) return false;
  throw new ConfigError(`${name}: expected 1 or 0, got ${JSON.stringify(text)}`);
}
