import type { ImportProblem } from '@/lib/views/recording/import-schema';
import { redactMessage } from '../../codec/secrets/redact-message';

/** Further problems are only counted. */
const mostKept = 1_000;
const mostNotes = 5;
/** A place can contain a name as long as the file. */
const mostChars = 2_000;

/** The problems of a file, redacted. */
export class ProblemList {
  readonly #kept: ImportProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get kept(): readonly ImportProblem[] {
    return this.#kept;
  }

  add(problems: readonly ImportProblem[]): void {
    this.#count += problems.length;
    for (const { place, offset, reason } of problems.slice(0, mostKept - this.#kept.length)) {
      const [shownPlace, shownReason] = [place.slice(0, mostChars), reason.slice(0, mostChars)].map(
        redactMessage,
      );
      this.#kept.push({ place: shownPlace ?? '', offset, reason: shownReason ?? '' });
    }
  }

  /** The first problems, for the file's entry in the list of sources. */
  notes(): string[] {
    const more = this.#count - mostNotes;
    const first = this.#kept.slice(0, mostNotes).map(formatProblem);
    return [...first, ...(more > 0 ? [`and ${more} more problems`] : [])];
  }
}

function formatProblem({ place, offset, reason }: ImportProblem): string {
  const where = [place, offset === undefined ? '' : `byte ${offset}`].filter(Boolean).join(', ');
  return where === '' ? reason : `${where}: ${reason}`;
}
