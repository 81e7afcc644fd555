import type { ListenerRow } from '../../api/connections';
import { formatIsoTime } from '../../format/iso-time';
import type { Connection } from '../../observation/connection';
import { formatFigures } from './format-connection';
import type { ConfigListener } from './read-connected-config';

/**
 * Puts the sockets on which the process listens beside the listeners of its config. `sockets`: null: no source reports any.
 * Listeners that do not serve come first, sockets without a listener in the config last.
 */
export function joinListeners(
  listeners: readonly ConfigListener[],
  sockets: readonly Connection[] | null,
): ListenerRow[] {
  const used = new Set<string>();
  const rows = listeners.map(({ name, address, state }): ListenerRow => {
    const own = (sockets ?? []).find((socket) => isOfListener(socket, name, address));
    if (own !== undefined) used.add(own.id);
    const status = sockets === null ? 'not-reported' : own === undefined ? 'not-serving' : 'listening';
    return { ...formatSocket(own), ...{ id: `config ${name}`, name, address, state, status } };
  });
  const others = (sockets ?? []).filter(({ id }) => !used.has(id));
  return [
    ...rows.filter(({ status }) => status === 'not-serving'),
    ...rows.filter(({ status }) => status !== 'not-serving'),
    ...others.map((socket): ListenerRow => {
      const { id, name = '', target: address } = socket;
      return { ...formatSocket(socket), ...{ id, name, address, state: null, status: 'listening' } };
    }),
  ];
}

/** gRPC names no listeners: their sockets are found by address. */
function isOfListener({ name: listening, target }: Connection, name: string, address: string): boolean {
  if (listening !== undefined && listening !== name) return false;
  return address !== '' && withAnyAddress(target) === withAnyAddress(address);
}

/** A socket of all addresses of IPv6 is one of IPv4, too. */
function withAnyAddress(address: string): string {
  return address.replace(/^(?:0\.0\.0\.0|\[::\]|\[0(?::0){7}\]):/, '*:');
}

function formatSocket(
  socket: Connection | undefined,
): Pick<ListenerRow, 'since' | 'isSinceFirstPoll' | 'figures'> {
  if (socket === undefined) return { since: null, isSinceFirstPoll: false, figures: null };
  const { since, isSinceFirstPoll = false } = socket;
  return { since: formatIsoTime(since), isSinceFirstPoll, figures: formatFigures([socket]) };
}
