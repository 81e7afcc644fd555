import type { Connection } from '../../observation/connection';
import { findClientRelease, isReleaseWithin } from '../../xds/client-release';
import { isServerListener, serverAddressIn } from '../../xds/client-scope';
import type { State } from '../../xds/status';
import { formatFigures } from './format-connection';
import type { ConfigListener } from './read-connected-config';
import type { ListenerRow } from './schema';

/** In these states, the client has no payload of the Listener. */
const statesWithoutConfig: ReadonlySet<State> = new Set<State>([
  ...(['REQUESTED', 'DOES_NOT_EXIST', 'TIMEOUT', 'NACKED', 'RECEIVED_ERROR'] as const),
]);

/**
 * Puts the sockets on which the process listens beside the listeners of its config. `sockets`: undefined: no source reports any.
 * Listeners that do not serve come first, sockets without a listener in the config last. `servesAny`: see servesAnyAddress().
 */
export function joinListeners(
  listeners: readonly ConfigListener[],
  sockets: readonly Connection[] | undefined,
  servesAny = false,
): ListenerRow[] {
  const used = new Set<string>();
  const rows = listeners.map((listener): ListenerRow => {
    const { name, address, state } = listener;
    const own = (sockets ?? []).find((socket) => isOfListener(socket, listener));
    if (own !== undefined) used.add(own.id);
    const notServingBecause = sockets && whyNotServing(listener, own, servesAny);
    const status =
      sockets === undefined
        ? 'not-reported'
        : notServingBecause === undefined
          ? statusOf(own)
          : 'not-serving';
    return {
      ...formatSocket(own),
      ...{ id: `config ${name}`, name, address, state, status, notServingBecause },
    };
  });
  const others = (sockets ?? []).filter(({ id }) => !used.has(id));
  return [
    ...rows.filter(({ status }) => status === 'not-serving'),
    ...rows.filter(({ status }) => status !== 'not-serving'),
    ...others.map((socket): ListenerRow => {
      const { id, name = '', target: address } = socket;
      const status = statusOf(socket);
      return {
        ...formatSocket(socket),
        ...{ id, name, address, state: undefined, status, notServingBecause: undefined },
      };
    }),
  ];
}

/** gRPC names no listeners: their sockets are found by the address, which is in the name of a server's Listener, too. */
function isOfListener({ name: listening, target }: Connection, { name, address }: ConfigListener): boolean {
  if (listening !== undefined) return listening === name && isSameAddress(target, address);
  return isSameAddress(target, isServerListener(name) ? serverAddressIn(name) : address);
}

/** A server without a valid Listener does not serve, and neither does one whose Listener has another address (gRFC A36). */
function whyNotServing(
  { name, address, state }: ConfigListener,
  socket: Connection | undefined,
  servesAny: boolean,
): ListenerRow['notServingBecause'] {
  if (socket === undefined) return 'no-socket';
  if (address !== '') return servesAny || isSameAddress(socket.target, address) ? undefined : 'other-address';
  return isServerListener(name) && state !== undefined && statesWithoutConfig.has(state)
    ? 'no-config'
    : undefined;
}

/** gRPC-Java before 1.73 serves whatever the address of its Listener is (grpc-java#11737). */
export function servesAnyAddress({
  userAgentName,
  userAgentVersion,
}: {
  readonly userAgentName: string;
  readonly userAgentVersion: string;
}): boolean {
  const release = findClientRelease(userAgentVersion);
  if (!/^gRPC Java\b/.test(userAgentName) || release === undefined) return false;
  return isReleaseWithin(release, [
    { major: 1, minor: 0 },
    { major: 1, minor: 72 },
  ]);
}

function statusOf(socket: Connection | undefined): ListenerRow['status'] {
  return (socket?.figures?.openConnections ?? 0) > 0 ? 'serving' : 'listening';
}

/** A socket of all addresses of IPv6 is one of IPv4, too. */
function isSameAddress(a: string, b: string): boolean {
  const [first, second] = [a, b].map((each) => each.replace(/^(?:0\.0\.0\.0|\[::\]|\[0(?::0){7}\]):/, '*:'));
  return first === second && first !== '';
}

function formatSocket(
  socket: Connection | undefined,
): Pick<ListenerRow, 'since' | 'isSinceFirstPoll' | 'figures'> {
  if (socket === undefined) return { since: undefined, isSinceFirstPoll: false, figures: undefined };
  const { since, isSinceFirstPoll = false } = socket;
  return { since, isSinceFirstPoll, figures: formatFigures([socket]) };
}
