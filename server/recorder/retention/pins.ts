import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import type { BlockMeta } from '../storage/immutable-stores';
import type { LogStorage } from '../storage/log-storage';
import type { Pin } from '../storage/state-stores';

/** The number of pins is limited, because every pin is compared with every block. */
export const maxPins = 200;

export function isInPin(
  pins: readonly Pin[],
  { fromAt, toAt }: Pick<BlockMeta, 'fromAt' | 'toAt'>,
  read: () => LogBlock,
): boolean {
  return pins.some(
    ({ from, to, clientId }) =>
      toAt >= from && fromAt <= to && (clientId === null || read().numberOf(clientId) !== undefined),
  );
}

/** Releases the blocks that no pin retains any longer. */
export function releaseBlocks({ pins, transaction }: LogStorage, log: LogBlocks): void {
  const all = pins.list();
  const released = log.metas.filter((meta) => meta.isPinned && !isInPin(all, meta, () => log.block(meta)));
  if (released.length === 0) return;
  transaction(() => {
    for (const { firstSeq } of released) pins.releaseBlock(firstSeq);
  });
  log.setPinned(released, false);
}
