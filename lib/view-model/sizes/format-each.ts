import type { SizeItem } from '../../api/sizes';
import { formatBytes } from '../../format/bytes';

/** "420 B", or "420 B to 4.6 kB". */
export function formatEach({ leastBytes, mostBytes }: NonNullable<SizeItem['clients']>): string {
  const [least, most] = [formatBytes(leastBytes), formatBytes(mostBytes)];
  return least === most ? least : `${least} to ${most}`;
}
