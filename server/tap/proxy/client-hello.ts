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
