import { formatBytes } from '@/lib/format/bytes';
import { formatCount } from '@/lib/format/count';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { isRunning } from '@/lib/views/sources/is-running';

const phases = {
  receiving: 'Receiving',
  waiting: 'Waiting for other imports',
  unpacking: 'Unpacking',
  reading: 'Reading',
} as const;

export function ImportProgress({ item }: { readonly item: FileImport }) {
  if (!isRunning(item)) return null;
  const { state, progress } = item;
  const phase = state in phases ? phases[state as keyof typeof phases] : '';
  const { done, total } = progress;
  const show = state === 'reading' ? formatCount : formatBytes;
  const unit = state === 'reading' ? ' parts' : '';
  const figures =
    total === undefined ? (done > 0 ? show(done) : '') : `${show(done)} of ${show(total)}${unit}`;
  const share = total === undefined || total === 0 ? null : Math.min(100, (100 * done) / total);
  return (
    <div
      role="progressbar"
      aria-label={`${phase} ${item.label}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share ?? undefined}
      aria-valuetext={share === null ? undefined : figures}
      className="flex flex-col gap-1"
    >
      <div className="flex justify-between gap-3 note tabular-nums">
        <span>{phase}</span>
        <span>{figures}</span>
      </div>
      <div className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full bg-accent ${share === null ? 'w-1/3 motion-safe:animate-pulse' : ''}`}
          style={share === null ? undefined : { width: `${share}%` }}
        />
      </div>
    </div>
  );
}
