import { Icon } from '../icon';

interface BodySentenceProps {
  /** The origin of the content, with caveats. */
  readonly sentence: string;
  readonly isWarning: boolean;
}

export function BodySentence({ sentence, isWarning }: BodySentenceProps) {
  return (
    <p
      className={`flex items-start gap-1.5 text-small break-words ${isWarning ? 'text-timeout' : 'text-muted'}`}
    >
      {isWarning && (
        <span className="mt-0.5">
          <Icon name="warning" sizePx={12} />
        </span>
      )}
      <span className="min-w-0">{sentence}</span>
    </p>
  );
}
