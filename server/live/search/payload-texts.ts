import { isJsonObject } from '../../codec/json/json-object';

export interface PayloadTexts {
  /** "10.0.0.1:8080" */
  readonly addresses: ReadonlySet<string>;
  readonly domains: ReadonlySet<string>;
}

/** Limits the texts of one payload. */
const mostTexts = 20_000;

/** The socket addresses and virtual host domains that occur anywhere in a resource, which is proto3 JSON. */
export function readPayloadTexts(json: unknown): PayloadTexts {
  const addresses = new Set<string>();
  const domains = new Set<string>();
  const visit = (value: unknown): void => {
    if (addresses.size + domains.size >= mostTexts) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
      return;
    }
    if (!isJsonObject(value)) return;
    const { socketAddress } = value;
    if (isJsonObject(socketAddress) && typeof socketAddress.address === 'string') {
      const { address, portValue } = socketAddress;
      addresses.add(formatAddress(address, portValue));
    }
    // Only virtual hosts have both fields.
    if (Array.isArray(value.domains) && typeof value.name === 'string') {
      for (const domain of value.domains) if (typeof domain === 'string') domains.add(domain);
    }
    for (const item of Object.values(value)) visit(item);
  };
  visit(json);
  return { addresses, domains };
}

function formatAddress(address: string, port: unknown): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return typeof port === 'number' ? `${host}:${port}` : host;
}
