import { probeNodePrefix } from '../../xds/client-scope';
import type { NameParser } from './parsed-name';

/** "xdscope-probe@10.0.0.1:15010?transport=delta-ads" reads "probe 10.0.0.1:15010" and "delta-ads". */
export const parseProbeName: NameParser = (name) => {
  const prefix = `${probeNodePrefix}@`;
  if (!name.startsWith(prefix)) return undefined;
  const [, target, variant] = /^([^?]+)(?:\?(.+))?$/s.exec(name.slice(prefix.length)) ?? [];
  if (target === undefined) return undefined;
  const qualifiers = variant?.split('&').map((part) => part.slice(part.indexOf('=') + 1)) ?? [];
  return { convention: 'xdscope', title: `probe ${target}`, qualifiers };
};
