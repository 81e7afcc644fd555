'use client';

import { messageOf } from '@/lib/format/message-of';
import { Button } from './button';
import { Icon } from './icon';

interface ErrorStateProps {
  /** As in "Couldn’t load the clients". */
  readonly title: string;
  /** A thrown value; its message is shown. */
  readonly error: unknown;
  readonly hint?: string;
  readonly onRetry?: () => void;
}

export function ErrorState({ title, error, hint, onRetry }: ErrorStateProps) {
  const message = messageOf(error);
  return (
    <div role="alert" className="mx-auto flex max-w-xl flex-col items-start gap-2 px-6 py-8">
      <p className="flex items-center gap-2 font-medium text-nacked">
        <Icon name="warning" sizePx={16} />
        {title}
      </p>
      {message !== '' && <p className="font-mono text-small break-words whitespace-pre-wrap">{message}</p>}
      {hint !== undefined && <p className="text-muted">{hint}</p>}
      {onRetry !== undefined && (
        <Button onPress={onRetry} icon="refresh" className="mt-1">
          Try again
        </Button>
      )}
    </div>
  );
}
