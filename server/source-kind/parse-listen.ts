import { ConfigError } from '../config-error';
import { parseTarget } from '../dial/target';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly text: string;
}

/** An address to listen on. Port 0 chooses a free port. Throws ConfigError with `where`. */
export function parseListen(where: string, text: string): ListenAddress {
  const anyPort = /^(.+):0$/.exec(text.trim())?.[1];
  const parsed = parseTarget(anyPort === undefined ? text : `${anyPort}:1`);
  if (!parsed.ok) throw new ConfigError(`${where}: ${parsed.problem.message}`);
  const { host, port } = parsed.target;
  return anyPort === undefined
    ? { host, port, text: parsed.target.text }
    : { host, port: 0, text: `${anyPort}:0` };
}
