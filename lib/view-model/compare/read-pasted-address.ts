import { clientAddress, type DiffAddress, parseDiffAddress, permalinkAddress } from './diff-address';

/** What somebody typed or pasted for a side: an address, or the URL of a client's page or of a permalink. */
export function readPastedAddress(text: string): DiffAddress | undefined {
  const trimmed = text.trim();
  const address = parseDiffAddress(trimmed);
  if (address !== undefined) return address;
  const [, permalinkId] = /(?:^|\/)p\/([\w-]+)(?:[/?#]|$)/.exec(trimmed) ?? [];
  if (permalinkId !== undefined) return permalinkAddress(permalinkId);
  const [, clientId, search] = /(?:^|\/)clients\/([\w-]+)(?:\/\w*)?(?:\?([^#]*))?(?:#|$)/.exec(trimmed) ?? [];
  if (clientId === undefined) return undefined;
  return clientAddress(clientId, new URLSearchParams(search).get('at') ?? '');
}
