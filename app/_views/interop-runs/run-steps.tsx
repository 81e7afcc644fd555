import { GlyphMark } from '@/app/_components/shape-mark';
import { formatDuration } from '@/lib/format/duration';
import type { InteropRun } from '@/lib/interop/run-schema';
import { interopVerdictShape } from '@/lib/views/interop-matrix/verdict-shape';

interface RunStepsProps {
  readonly run: InteropRun;
  /** The number of the step whose moment is shown. */
  readonly chosen: number;
  readonly onChoose: (step: number) => void;
}

const outcomes = { holds: 'works', fails: 'fails' } as const;

/** What was done, what was expected of the RPCs, and what was seen. */
export function RunSteps({ run: { steps, of, state }, chosen, onChoose }: RunStepsProps) {
  const next = steps.length + 1;
  return (
    <ol className="divide-y divide-line">
      {steps.map(({ step, title, expected, seen, preceded, outcome, ms }) => (
        <li key={step}>
          <button
            type="button"
            aria-current={step === chosen ? 'step' : undefined}
            onClick={() => onChoose(step)}
            className="w-full px-4 py-2 text-left hover:bg-hover aria-[current]:bg-sunken"
          >
            <span className="flex items-baseline gap-2">
              <span className="note tabular-nums">{step}</span>
              <span className="min-w-0 flex-1 font-medium">{title}</span>
              <GlyphMark
                shape={interopVerdictShape(outcomes[outcome])}
                word={outcome === 'holds' ? 'holds' : 'fails'}
                sizePx={11}
              />
            </span>
            <span className="block note break-words">Expected: {expected}</span>
            <span className="block note break-words">
              Seen: {seen} ({formatDuration(ms)})
            </span>
            {preceded !== undefined && (
              <span className="block note break-words">Preceded by: {preceded}</span>
            )}
          </button>
        </li>
      ))}
      {next <= of && (
        <li className="px-4 py-2 note">
          {state === 'ended'
            ? next === of
              ? `Step ${of} was not reached.`
              : `Steps ${next} to ${of} were not reached.`
            : state === 'waiting'
              ? 'The run waits for another one of this client.'
              : `Step ${next} of ${of} is under way.`}
        </li>
      )}
    </ol>
  );
}
