import { findTime, formatIsoTime } from '../../format/iso-time';
import { clientAddress, type DiffAddress, parseDiffAddress, permalinkAddress } from './diff-address';

/** Parses a typed or pasted side: an address, or the URL of a client's page or of a permalink. */
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
 * Converts a typed moment to URL notation: '' for "now" or an empty text, an event as in seq:4711, or a time in ISO 8601. Times
 * without a zone are local. Returns undefined for other texts.
 */
export function readTypedMoment(text: string): string | undefined {
  // Pages show times followed by the name of the local zone.
  const trimmed = text.trim().replace(/ (?:GMT|UTC)\S*$/, '');
  if (trimmed === '' || /^now$/i.test(trimmed)) return '';
  if (/^seq:\d{1,15}$/.test(trimmed)) return trimmed;
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(trimmed))
    return undefined;
  const at = findTime(trimmed.replace(' ', 'T'));
  return at === undefined ? undefined : formatIsoTime(at);
}
