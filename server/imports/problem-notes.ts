import type { ReportProblem } from '../codec/report/report-plan';
import { formatProblem } from './import-report';

const mostNotes = 20;

/** What could not be read of a file, for its row among the sources. */
export class ProblemNotes {
  readonly #first: ReportProblem[] = [];
  #count = 0;

  add(problems: readonly ReportProblem[]): void {
    this.#count += problems.length;
    this.#first.push(...problems.slice(0, mostNotes - this.#first.length));
  }

  notes(): string[] {
    const more = this.#count - this.#first.length;
    return [...this.#first.map(formatProblem), ...(more > 0 ? [`and ${more} more problems`] : [])];
  }
}
