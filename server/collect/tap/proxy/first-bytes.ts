import type { Socket } from 'node:net';

/** The connection preface of HTTP/2 begins with it (RFC 9113, section 3.4), and no request of HTTP/1.1 does. */
const prefaceStart = Buffer.from('PRI');

/**
 * Resolves to true if a client begins with HTTP/2. The bytes stay readable. A client that sends nothing for
 * `withinMs` counts as one of HTTP/2, and so does one that disconnects.
 */
export async function beginsHttp2(socket: Socket, withinMs: number): Promise<boolean> {
  const begins = await peek(socket, withinMs, (bytes) =>
    bytes.subarray(0, prefaceStart.length).equals(prefaceStart.subarray(0, bytes.length)),
  );
  return begins ?? true;
}

/** The protocols that a client offers with TLS. One that sends no ClientHello within the time counts as one of HTTP/2. */
export async function offeredProtocols(socket: Socket, withinMs: number): Promise<readonly string[]> {
  const offered = await peek(socket, withinMs, (bytes) => {
    const read = readOfferedProtocols(bytes);
    return read === 'more' ? undefined : (read ?? ['h2']);
  });
  return offered ?? ['h2'];
}

/** Reads first bytes until `read` returns a value. They stay readable. Resolves to undefined if it never does. */
function peek<T>(
  socket: Socket,
  withinMs: number,
  read: (bytes: Buffer) => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const finish = (value: T | undefined): void => {
      clearTimeout(timer);
      socket.off('readable', onReadable).off('close', onClose);
      resolve(value);
    };
    const onReadable = (): void => {
      const bytes: Buffer | null = socket.read();
      if (bytes === null) return;
      socket.unshift(bytes);
      const value = read(bytes);
      if (value !== undefined) finish(value);
    };
    const onClose = (): void => finish(undefined);
    const timer = setTimeout(finish, withinMs, undefined);
    socket.on('readable', onReadable).on('close', onClose);
  });
}

const handshakeRecord = 22;
const clientHello = 1;
const alpnExtension = 16;

/** The limit of a record (RFC 8446, section 5.1), which a ClientHello of clients does not reach. */
const maxHelloBytes = 16 * 1024 + 5;

/**
 * Returns the protocols that a client offers (ALPN, RFC 7301) in the first bytes of its connection, an empty list if it offers
 * none; `more` if the ClientHello is incomplete; undefined if the bytes are no ClientHello.
 */
export function readOfferedProtocols(bytes: Buffer): readonly string[] | 'more' | undefined {
  if (bytes[0] !== undefined && bytes[0] !== handshakeRecord) return undefined;
  if (bytes.length < 5) return 'more';
  const end = 5 + bytes.readUInt16BE(3);
  if (end > maxHelloBytes) return undefined;
  if (bytes.length < end) return 'more';
  try {
    return readHello(bytes.subarray(5, end));
  } catch (error) {
    // A length leads out of the record.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Throws a RangeError if the bytes end too early. */
function readHello(hello: Buffer): readonly string[] | undefined {
  if (hello.readUInt8(0) !== clientHello) return undefined;
  // Type, length, version and random, then the session id, the cipher suites and the compression methods.
  let place = 4 + 2 + 32;
  place += 1 + hello.readUInt8(place);
  place += 2 + hello.readUInt16BE(place);
  place += 1 + hello.readUInt8(place);
  if (place >= hello.length) return [];
  const end = place + 2 + hello.readUInt16BE(place);
  place += 2;
  while (place < end) {
    const type = hello.readUInt16BE(place);
    const length = hello.readUInt16BE(place + 2);
    if (type === alpnExtension) return readNames(hello.subarray(place + 4, place + 4 + length));
    place += 4 + length;
  }
  return [];
}

function readNames(list: Buffer): readonly string[] {
  const names: string[] = [];
  for (let place = 2; place < list.length; ) {
    const length = list.readUInt8(place);
    names.push(list.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return names;
}
