import type { NackDetail } from '../../api/nacks';

/** One of the bodies around a NACK, or what differs between two of them. */
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

export type BodyViewId =
  | 'rejected'
  | 'before'
  | 'after'
  | 'before-rejected'
  | 'rejected-after'
  | 'before-after';

/**
 * What can be looked at: the rejected body, what was in use before it, what resolved it, and what differs between each two
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
    views.push({ kind: 'body', value: 'rejected', label: 'Rejected', hash, sentence, isWarning });
  }
  if (before?.hash != null) {
    const sentence = `What the client had accepted before, and kept in use${versionText(before.versionInfo)}. It is not the rejected one.`;
    const { hash } = before;
    views.push({ kind: 'body', value: 'before', label: 'In use before', hash, sentence, isWarning: true });
  }
  if (after?.hash != null) {
    const sentence = `What the client accepted after, and what resolved it${versionText(after.versionInfo)}.`;
    const { hash } = after;
    views.push({ kind: 'body', value: 'after', label: 'Accepted after', hash, sentence, isWarning: true });
  }
  const doubt = payload?.isWarning ? ` Of the rejected one: ${payload.sentence}` : '';
  const isWarning = payload?.isWarning === true;
  if (before?.hash != null && payload !== null) {
    views.push({
      ...{ kind: 'diff', value: 'before-rejected', label: 'Before → rejected' },
      ...{ fromHash: before.hash, toHash: payload.hash, isWarning },
      sentence: `From what was in use${versionText(before.versionInfo)} to what was rejected${versionText(payload.versionInfo)}: the NACK is about what changed here, or about what the client had not validated before.${doubt}`,
    });
  }
  if (after?.hash != null && payload !== null) {
    views.push({
      ...{ kind: 'diff', value: 'rejected-after', label: 'Rejected → resolved' },
      ...{ fromHash: payload.hash, toHash: after.hash, isWarning },
      sentence: `From what was rejected${versionText(payload.versionInfo)} to what was accepted${versionText(after.versionInfo)}: what resolved it.${doubt}`,
    });
  }
  if (before?.hash != null && after?.hash != null) {
    views.push({
      ...{ kind: 'diff', value: 'before-after', label: 'Before → resolved' },
      ...{ fromHash: before.hash, toHash: after.hash, isWarning: false },
      sentence: `From what was in use before${versionText(before.versionInfo)} to what resolved it${versionText(after.versionInfo)}: what the client has new in the end.`,
    });
  }
  return views;
}

function versionText(version: string): string {
  return version === '' ? '' : ` (version ${version})`;
}
