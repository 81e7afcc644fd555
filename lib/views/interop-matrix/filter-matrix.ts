import { holds } from '../../filter/match-filter';
import { type FilterCondition, type FilterGrammar, parseFilter } from '../../filter/parse-filter';
import { interopVerdicts } from '../../observation/interop-verdicts';
import {
  type FeatureCell,
  lacksFeature,
  type Matrix,
  type MatrixCell,
  type MatrixColumn,
  type MatrixRow,
  sumUp,
} from './build-matrix';

/** The fields of filters of the matrix. Words are searched in cases, features, gRFCs and verdicts. */
export const matrixGrammar = {
  fields: {
    client: { meaning: 'the client, whose columns alone are shown, as in client=grpc-go' },
    feature: { meaning: 'the feature, as in feature~retries, or its gRFC, as in feature=A50' },
    case: { meaning: 'the name of the case' },
    verdict: { meaning: 'the result with one of the clients, as in verdict!=works', values: interopVerdicts },
    claim: {
      meaning: 'what gRPC claims, compared with that result; none: there is no claim, or no result',
      values: ['agrees', 'differs', 'none'],
    },
  },
} as const satisfies FilterGrammar;
type Field = keyof typeof matrixGrammar.fields;

interface MatrixFilter {
  /** A filter of `matrixGrammar`. */
  readonly text: string;
  /** Only cases with a result that contradicts its claim. */
  readonly differs: boolean;
  /** Only clients whose release runs in the fleet. */
  readonly inFleet: boolean;
}

/**
 * Leaves the columns of the clients that are chosen, and the cases of which one result in these columns fulfils every condition.
 * Parts that are not valid do not filter.
 */
export function filterMatrix(
  { columns, features }: Matrix,
  { text, differs, inFleet }: MatrixFilter,
): Matrix {
  const { words, conditions } = parseFilter(text, matrixGrammar);
  const isOf = (...fields: Field[]) =>
    conditions.filter(({ field }) => (fields as readonly string[]).includes(field));
  const [ofColumn, ofCase, ofCell] = [isOf('client'), isOf('feature', 'case'), isOf('verdict', 'claim')];
  const shown = columns.flatMap((column, at) => {
    const isChosen = ofColumn.every((condition) => holds(condition, namesOf(column)));
    return isChosen && (!inFleet || column.inFleet !== undefined) ? [at] : [];
  });
  const pick = <T>(all: readonly T[]): T[] => shown.flatMap((at) => all[at] ?? []);
  return {
    columns: pick(columns),
    features: features.flatMap((feature) => {
      const rows = feature.rows
        .filter(({ case: { name, grfc } }) => {
          const texts = { feature: [feature.feature, grfc ?? ''], case: [name] };
          return ofCase.every((condition) => holds(condition, texts[condition.field as 'feature' | 'case']));
        })
        .map((row) => ({ ...row, cells: pick(row.cells) }))
        .filter(({ cells }) => cells.some((cell) => (!differs || cell.differs) && isFound(cell, ofCell)))
        .filter((row) => {
          const own = textOf(feature.feature, row).toLowerCase();
          return words.every((word) => own.includes(word));
        });
      if (rows.length === 0) return [];
      const cells = pick(columns).map(
        (_, at): FeatureCell => sumUp(rows.flatMap((row) => row.cells[at] ?? [])),
      );
      return [{ ...feature, rows, cells }];
    }),
  };
}

/** "grpc-go", "1.85.0", "grpc-go 1.85.0" and "grpc-go@1.85.0", as on the command line. */
function namesOf({ key, name, version }: MatrixColumn): readonly string[] {
  return [name, version, key, `${name}@${version}`];
}

function isFound({ verdict, claims, differs }: MatrixCell, conditions: readonly FilterCondition[]): boolean {
  const isCompared = claims.length > 0 && (verdict === 'works' || lacksFeature(verdict));
  const claim = differs ? 'differs' : isCompared ? 'agrees' : 'none';
  return conditions.every((condition) => holds(condition, [condition.field === 'claim' ? claim : verdict]));
}

function textOf(feature: string, { case: { name, title, grfc = '' }, cells }: MatrixRow): string {
  return [feature, name, title, grfc, ...cells.map(({ verdict }) => verdict)].join(' ');
}
