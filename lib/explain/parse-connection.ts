import type { ExplainConnection } from '../requests/request';
import { parseIpAddress } from '../validate/ip-address';

/** The connection of a request as texts, as in a URL; an absent or empty text states nothing. */
export interface ConnectionTexts {
  /** The address of the caller, with or without a port, as in "10.1.2.3" and "[::1]:4000". */
  readonly source?: string | undefined;
  /** The address that the caller connects to, a port, or both, as in "10.0.0.1:443" and ":443". */
  readonly destination?: string | undefined;
  /** The server name of TLS. */
  readonly sni?: string | undefined;
  /** Application protocols, separated by commas. */
  readonly alpn?: string | undefined;
  readonly tls?: 'yes' | 'no' | '' | undefined;
}

export type ParsedConnection =
  | { readonly ok: true; readonly connection: ExplainConnection | undefined }
  | { readonly ok: false; readonly field: keyof ConnectionTexts; readonly message: string };

const mostProtocols = 20;

/** Parses the connection of a request. `connection` is undefined if the texts state nothing. */
export function parseConnection({
  source = '',
  destination = '',
  sni = '',
  alpn = '',
  tls = '',
}: ConnectionTexts): ParsedConnection {
  const from = parsePeer(source);
  const to = parsePeer(destination);
  if (typeof from === 'string') return { ok: false, field: 'source', message: from };
  if (typeof to === 'string') return { ok: false, field: 'destination', message: to };
  const protocols = alpn.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
  if (protocols.length > mostProtocols) {
    const message = `expected at most ${mostProtocols} protocols, got ${protocols.length}`;
    return { ok: false, field: 'alpn', message };
  }
  const connection: ExplainConnection = {
    ...(from.address !== undefined && { sourceAddress: from.address }),
    ...(from.port !== undefined && { sourcePort: from.port }),
    ...(to.address !== undefined && { destinationAddress: to.address }),
    ...(to.port !== undefined && { destinationPort: to.port }),
    ...(sni.trim() !== '' && { serverName: sni.trim() }),
    ...(protocols.length > 0 && { applicationProtocols: protocols }),
    ...(tls !== '' && { isTls: tls === 'yes' }),
  };
  return { ok: true, connection: Object.keys(connection).length === 0 ? undefined : connection };
}

const largestPort = 65_535;

/** Returns the sentence of the error if the text is neither an address nor a port. */
function parsePeer(written: string): { readonly address?: string; readonly port?: number } | string {
  const text = written.trim();
  if (text === '') return {};
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = port === undefined && bracketed === undefined ? text : (bracketed ?? plain ?? '');
  const isAddress = address === '' || parseIpAddress(address) !== undefined;
  if (!isAddress || Number(port ?? 0) > largestPort)
    return `expected an IP address, a port as in :443, or both, got ${JSON.stringify(text.slice(0, 100))}`;
  return { ...(address !== '' && { address }), ...(port !== undefined && { port: Number(port) }) };
}
