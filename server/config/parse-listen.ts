import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly text: string;
}

/** An address to listen on: a target, of which port 0 means any free one. Throws ConfigError; `where` is for it. */
export function parseListen(where: string, text: string): ListenAddress {
  const anyPort = /^(.+):0$/.exec(text.trim())?.[1];
  const parsed = parseTarget(anyPort === undefined ? text : `${anyPort}:1`);
  if (!parsed.ok) throw new ConfigError(`${where}: ${parsed.problem.message}`);
  const { host, port } = parsed.target;
  return anyPort === undefined
    ? { host, port, text: parsed.target.text }
    : { host, port: 0, text: `${anyPort}:0` };
}
