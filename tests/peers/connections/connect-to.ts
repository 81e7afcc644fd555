import { connect } from 'node:http2';

/** An HTTP/2 connection to a server. */
export interface Connected {
  readonly close: () => void;
}

const waitMs = 500;

/** undefined if the server does not begin HTTP/2: it closes the connection, does not accept it, or does not listen. */
export function connectTo(port: number): Promise<Connected | undefined> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const end = (connected: Connected | undefined): void => {
      clearTimeout(timer);
      if (connected === undefined) session.destroy();
      resolve(connected);
    };
    const timer = setTimeout(end, waitMs, undefined);
    session.once('error', () => end(undefined));
    session.once('close', () => end(undefined));
    session.once('remoteSettings', () => end({ close: () => session.destroy() }));
  });
}
