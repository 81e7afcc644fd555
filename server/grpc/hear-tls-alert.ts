import { connect } from 'node:tls';
import { dialOptions } from '../dial/dial-options';
import type { Target } from '../dial/target';
import type { ChannelTls } from './channel-security';

/** Not OpenSSL's: servers of Node, for one, hang up without an alert when they do not like a client's certificate. */
export const hungUp = 'the connection was closed after the handshake';

/**
 * In TLS 1.3 a server rejects a client's certificate after the client is done, and gRPC loses the reason. So connects
 * once more in the same way and waits for the error; undefined where none comes, as when the server begins to speak.
 * Ends within `timeoutMs`. Throws a DialRejectedError where the dial policy rejects the address.
 */
export function hearTlsAlert(
  target: Target,
  { material, serverName: servername }: ChannelTls,
  timeoutMs = 2_000,
): Promise<string | undefined> {
  const where = dialOptions(target);
  return new Promise((resolve) => {
    const named = servername === undefined ? {} : { servername };
    const socket = connect({ ...where, ALPNProtocols: ['h2'], ...named, ...material });
    let isShaken = false;
    const finish = (heard: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(heard);
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.on('secureConnect', () => {
      isShaken = true;
    });
    socket.on('error', (error) => finish(error.message));
    socket.on('data', () => finish(undefined));
    socket.on('close', () => finish(isShaken ? hungUp : undefined));
  });
}
