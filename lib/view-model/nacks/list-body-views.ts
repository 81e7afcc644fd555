import type { NackDetail } from '../../api/nacks';

/** One of the bodies around a refusal, or what differs between two of them. */
export type BodyView = { readonly value: BodyViewId; readonly label: string } & (
  | { readonly kind: 'body'; readonly hash: string; readonly sentence: string; readonly isWarning: boolean }
  | {
      readonly kind: 'diff';
      readonly fromHash: string;
      readonly toHash: string;
      /** What is compared with what. */
      readonly sentence: string;
      readonly isWarning: boolean;
    }
);

export type BodyViewId = 'refused' | 'before' | 'after' | 'before-refused' | 'refused-after' | 'before-after';

/**
 * What can be looked at: the refused body, what was in use before it, what mended it, and what differs between each two
 * of them, in the order of time. What nobody knows the body of is not there.
 */
export function listBodyViews({
  payload,
  before,
  after,
}: Pick<NackDetail, 'payload' | 'before' | 'after'>): BodyView[] {
  const views: BodyView[] = [];
  if (payload !== null) {
    const { hash, sentence, isWarning } = payload;
    views.push({ kind: 'body', value: 'refused', label: 'Refused', hash, sentence, isWarning });
  }
  if (before?.hash != null) {
    const sentence = `What the client had accepted before, and kept in use${versionText(before.versionInfo)}. It is not the refused one.`;
    const { hash } = before;
    views.push({ kind: 'body', value: 'before', label: 'In use before', hash, sentence, isWarning: true });
  }
  if (after?.hash != null) {
    const sentence = `What the client accepted after, and what mended it${versionText(after.versionInfo)}.`;
    const { hash } = after;
    views.push({ kind: 'body', value: 'after', label: 'Accepted after', hash, sentence, isWarning: true });
  }
  const doubt = payload?.isWarning ? ` Of the refused one: ${payload.sentence}` : '';
  const isWarning = payload?.isWarning === true;
  if (before?.hash != null && payload !== null) {
    views.push({
      ...{ kind: 'diff', value: 'before-refused', label: 'Before → refused' },
      ...{ fromHash: before.hash, toHash: payload.hash, isWarning },
      sentence: `From what was in use${versionText(before.versionInfo)} to what was refused${versionText(payload.versionInfo)}: the refusal is about what changed here, or about what the client had not judged before.${doubt}`,
    });
  }
  if (after?.hash != null && payload !== null) {
    views.push({
      ...{ kind: 'diff', value: 'refused-after', label: 'Refused → mended' },
      ...{ fromHash: payload.hash, toHash: after.hash, isWarning },
      sentence: `From what was refused${versionText(payload.versionInfo)} to what was accepted${versionText(after.versionInfo)}: what mended it.${doubt}`,
    });
  }
  if (before?.hash != null && after?.hash != null) {
    views.push({
      ...{ kind: 'diff', value: 'before-after', label: 'Before → mended' },
      ...{ fromHash: before.hash, toHash: after.hash, isWarning: false },
      sentence: `From what was in use before${versionText(before.versionInfo)} to what mended it${versionText(after.versionInfo)}: what the client has new in the end.`,
    });
  }
  return views;
}

function versionText(version: string): string {
  return version === '' ? '' : ` (version ${version})`;
}
