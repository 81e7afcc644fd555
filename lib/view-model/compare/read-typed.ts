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

/**
 * A moment as somebody types it, as the URL says it: "now" or nothing is '', an event as in seq:4711, a time in ISO 8601.
 * A date and a time without a zone are in the reader's. undefined: not understood.
 */
export function readTypedMoment(text: string): string | undefined {
  // As pages show a time: with the name of the reader's zone behind it.
  const trimmed = text.trim().replace(/ (?:GMT|UTC)\S*$/, '');
  if (trimmed === '' || /^now$/i.test(trimmed)) return '';
  if (/^seq:\d{1,15}$/.test(trimmed)) return trimmed;
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(trimmed))
    return undefined;
  const at = Date.parse(trimmed.replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
