import { messageOf } from '@/lib/format/message-of';
import { type RequestedKind, requestedKinds } from '@/lib/observation/source-kinds';
import { log } from '../../logger';
import type { SourceStatus } from '../../source-status';
import { parseTarget } from '../../transport/targets/target';
import type { SourceDescription } from '../source-registry';
import type { findServedKind } from './find-served-kind';

interface ServedKindsOptions {
  readonly find: (...parameters: Parameters<typeof findServedKind>) => ReturnType<typeof findServedKind>;
  readonly parts: Parameters<typeof findServedKind>[1];
  readonly onFound: (sourceId: string, kind: RequestedKind) => void;
}

type FailingSource = Pick<SourceDescription, 'id' | 'kind' | 'target' | 'security' | 'listId' | 'origin'>;

/** Finds once, for each source that has never answered, whether its target is a source of another kind. */
export class ServedKinds {
  readonly #options: ServedKindsOptions;
  readonly #tried = new Set<string>();

  constructor(options: ServedKindsOptions) {
    this.#options = options;
  }

  /** The status of a source has changed. */
  changed(
    source: FailingSource,
    { state, lastSuccessAt }: Pick<SourceStatus, 'state' | 'lastSuccessAt'>,
  ): void {
    const { id, kind, security, listId } = source;
    const isNew = state === 'down' && lastSuccessAt === undefined && !this.#tried.has(id);
    const isRequested = requestedKinds.some((each) => each === kind);
    // The other kinds would need credentials and certificates of their own.
    if (!isNew || !isRequested || security !== 'plain' || listId !== undefined) return;
    this.#tried.add(id);
    this.#find(source).catch((error: unknown) => {
      log('error', 'sources', `${id}: the kinds of its target were not tried: ${messageOf(error)}`);
    });
  }

  removed(sourceId: string): void {
    this.#tried.delete(sourceId);
  }

  async #find({ id, kind, target: text, origin }: FailingSource): Promise<void> {
    const { find, parts, onFound } = this.#options;
    const parsed = parseTarget(text);
    if (!parsed.ok) return;
    const found = await find({ ...parsed.target, isNamed: origin !== 'browser' }, parts);
    // channelz requires a target that serves CSDS as well.
    if (found !== undefined && found !== kind && this.#tried.has(id)) onFound(id, found);
  }
}
