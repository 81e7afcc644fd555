import { type NodeUse, shapeOfUse } from '@/lib/format/use-shape';

interface UseMarkProps {
  readonly use: NodeUse;
  /** Leaves the word to a screen reader. */
  readonly isMute?: boolean;
}

/** What a resolved config makes of a part, as shape and word; what is used needs no sign. */
export function UseMark({ use, isMute = false }: UseMarkProps) {
  const { path, word, variable } = shapeOfUse(use);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
    >
      {path !== '' && (
        <svg
          viewBox="0 0 16 16"
          width={12}
          height={12}
          fill="none"
          stroke="currentColor"
          strokeWidth={1.75}
          strokeLinecap="round"
          aria-hidden="true"
          className="shrink-0"
        >
          <path d={path} />
        </svg>
      )}
      <span className={isMute ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}
