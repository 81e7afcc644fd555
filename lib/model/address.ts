import type { FieldReader } from './field-reader';

/**
 * Formats an envoy.config.core.v3.Address: "127.0.0.1:8080", "[::1]:8080", "unix:/run/x.sock",
 * "internal:listener/endpoint". Empty if the message has no address of these kinds.
 */
export function formatAddress(address: FieldReader | undefined): string {
  const socket = address?.object('socketAddress');
  if (socket) {
    const host = socket.string('address');
    const port = socket.has('namedPort')
      ? socket.string('namedPort')
      : String(socket.number('portValue') ?? 0);
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }
  const pipe = address?.object('pipe');
  if (pipe) return `unix:${pipe.string('path')}`;
  const internal = address?.object('envoyInternalAddress');
  if (internal) {
    const endpoint = internal.string('endpointId');
    return `internal:${internal.string('serverListenerName')}${endpoint === '' ? '' : `/${endpoint}`}`;
  }
  return '';
}
