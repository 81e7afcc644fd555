import type { EpochMs } from '../xds/units';
import type { DeclaredSource, Observation } from './observation';

export interface KnownSource extends DeclaredSource {
  readonly sourceId: string;
  readonly lastAt: EpochMs;
}

/** The sources that the log declares, by id: the fold of `source-declared`. A later declaration replaces an earlier one. */
export class SourceDirectory {
  readonly #sources = new Map<string, { readonly declared: DeclaredSource; lastAt: EpochMs }>();

  constructor(known: Iterable<KnownSource> = []) {
    this.adopt(known);
  }

  /** Adds or replaces sources that were folded elsewhere. */
  adopt(known: Iterable<KnownSource>): void {
    for (const { sourceId, lastAt, ...declared } of known) this.#sources.set(sourceId, { declared, lastAt });
  }

  fold(observation: Observation): void {
    const { sourceId, at } = observation;
    if (observation.kind === 'source-declared') {
      this.#sources.set(sourceId, { declared: observation.source, lastAt: at });
      return;
    }
    const known = this.#sources.get(sourceId);
    if (known !== undefined && at > known.lastAt) known.lastAt = at;
  }

  find(sourceId: string): DeclaredSource | undefined {
    return this.#sources.get(sourceId)?.declared;
  }

  /** The `file` source that a source is, or was recorded in. Undefined if it is a source of this process. */
  findFile(sourceId: string): string | undefined {
    const { kind, fileId } = this.find(sourceId) ?? {};
    return fileId ?? (kind === 'file' ? sourceId : undefined);
  }

  isDeclared(sourceId: string, source: DeclaredSource): boolean {
    const known = this.find(sourceId);
    return (
      known !== undefined &&
      known.kind === source.kind &&
      known.target === source.target &&
      known.server === source.server &&
      known.transport === source.transport &&
      JSON.stringify(known.authorities) === JSON.stringify(source.authorities) &&
      known.fileId === source.fileId
    );
  }

  *list(): Generator<KnownSource> {
    for (const [sourceId, { declared, lastAt }] of this.#sources) yield { sourceId, lastAt, ...declared };
  }

  /** Forgets sources that observed nothing since a moment. `isKept`: those that stay all the same. */
  dropBefore(oldest: EpochMs, isKept: (sourceId: string) => boolean): void {
    for (const [sourceId, { lastAt }] of this.#sources) {
      if (lastAt < oldest && !isKept(sourceId)) this.#sources.delete(sourceId);
    }
  }
}
