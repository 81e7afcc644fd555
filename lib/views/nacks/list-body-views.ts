import type { NackDetail } from './schema';

/** One of the bodies around a NACK, or the difference of two of them. */
export type BodyView = {
  readonly value: BodyViewId;
  readonly label: string;
  readonly sentence: string;
  readonly isWarning: boolean;
} & (
  | { readonly kind: 'body'; readonly hash: string }
  | { readonly kind: 'diff'; readonly fromHash: string; readonly toHash: string }
);

type BodyViewId = 'rejected' | 'before' | 'after' | 'before-rejected' | 'rejected-after' | 'before-after';

/**
 * Lists the known bodies around a NACK: the rejected one, the one in effect before, the one that resolved the NACK, and the
 * differences of each two of them, in the order of time.
 */
export function listBodyViews({
  payload,
  before,
  after,
}: Pick<NackDetail, 'payload' | 'before' | 'after'>): BodyView[] {
  const isWarning = payload?.isWarning === true;
  const doubt = isWarning ? ` The rejected one: ${payload.sentence}` : '';
  const views: BodyView[] = [];
  const addBody = (
    value: BodyViewId,
    label: string,
    hash: string,
    sentence: string,
    isDoubtful = true,
  ): void => {
    views.push({ kind: 'body', value, label, hash, sentence, isWarning: isDoubtful });
  };
  if (payload !== undefined) addBody('rejected', 'Rejected', payload.hash, payload.sentence, isWarning);
  const used = before?.hash == null ? null : { hash: before.hash, version: versionText(before.versionInfo) };
  const fixed = after?.hash == null ? null : { hash: after.hash, version: versionText(after.versionInfo) };
  if (used !== null) {
    const sentence = `What the client had accepted before${used.version}. It is not the rejected one.`;
    addBody('before', 'In use before', used.hash, sentence);
  }
  if (fixed !== null) {
    addBody(
      'after',
      'Accepted after',
      fixed.hash,
      `What the client accepted after, and what resolved it${fixed.version}.`,
    );
  }
  if (used !== null && payload !== undefined) {
    views.push({
      ...{ kind: 'diff', value: 'before-rejected', label: 'Before → rejected' },
      ...{ fromHash: used.hash, toHash: payload.hash, isWarning },
      sentence: `From what was in use${used.version} to what was rejected${versionText(payload.versionInfo)}: the NACK is about what changed here, or about what the client had not validated before.${doubt}`,
    });
  }
  if (fixed !== null && payload !== undefined) {
    views.push({
      ...{ kind: 'diff', value: 'rejected-after', label: 'Rejected → resolved' },
      ...{ fromHash: payload.hash, toHash: fixed.hash, isWarning },
      sentence: `From what was rejected${versionText(payload.versionInfo)} to what was accepted${fixed.version}: what resolved it.${doubt}`,
    });
  }
  if (used !== null && fixed !== null) {
    views.push({
      ...{ kind: 'diff', value: 'before-after', label: 'Before → resolved' },
      ...{ fromHash: used.hash, toHash: fixed.hash, isWarning: false },
      sentence: `From what was in use before${used.version} to what resolved it${fixed.version}: the total change for the client.`,
    });
  }
  return views;
}

function versionText(version: string): string {
  return version === '' ? '' : ` (version ${version})`;
}
