'use client';

import { StrokeShape } from '@/app/_components/stroke-shape';
import { isTrouble, type Reaction, verdictOfReaction } from '@/lib/validate/reactions';
import { groupReactions, nameProfiles, reactionShape } from '@/lib/views/findings/reaction-shape';
import type { ApiFinding } from '@/lib/views/findings/schema';
import { type Profile, profiles } from '@/lib/xds/profile';

interface FindingItemProps {
  readonly finding: ApiFinding;
  /** The client behavior that determines the severity. */
  readonly profile: Profile;
  /** The version of the client is not measured: nothing is severe. */
  readonly isHint?: boolean | undefined;
  /** The field is marked in the content. */
  readonly isShown: boolean;
  readonly onShow: () => void;
}

/** One broken rule: what was expected, which clients reject it, and the source of the rule. */
export function FindingItem({ finding, profile, isHint = false, isShown, onShow }: FindingItemProps) {
  const { ruleId, title = ruleId, source, message, fieldPath, reactions, note } = finding;
  const isRejected = !isHint && isTrouble(verdictOfReaction(reactions[profile]));
  const text =
    fieldPath !== '' && message.startsWith(`${fieldPath}: `) ? message.slice(fieldPath.length + 2) : message;
  return (
    <li
      className={`rounded-md border px-3 py-2 ${isRejected ? 'border-nacked/50 bg-nacked/8' : 'border-line'} ${isHint ? 'text-muted' : ''} ${isShown ? 'outline-2 outline-accent' : ''}`}
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-mono text-small font-semibold" title={title}>
          {ruleId}
        </span>
        <button
          type="button"
          onClick={onShow}
          aria-pressed={isShown}
          title="Show the field in the content"
          className="min-w-0 text-left font-mono text-small break-all link-quiet"
        >
          {fieldPath === '' ? 'the resource' : fieldPath}
        </button>
      </p>
      <p className="break-words">{text}</p>
      <p className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-small">
        {groupReactions(reactions, profiles).map(({ reaction, who }) => (
          <ReactionMark key={reaction} reaction={reaction} who={nameProfiles(who)} isHint={isHint} />
        ))}
      </p>
      {note !== undefined && <p className="mt-0.5 note break-words">{note}</p>}
      <p className="mt-0.5 note break-words">{source}</p>
    </li>
  );
}

interface ReactionMarkProps {
  readonly reaction: Reaction;
  readonly who: string;
  readonly isHint: boolean;
}

function ReactionMark({ reaction, who, isHint }: ReactionMarkProps) {
  const { path, word, variable } = reactionShape(reaction);
  return (
    <span
      className="inline-flex min-w-0 items-center gap-1.5"
      style={isHint ? undefined : { color: `var(${variable})` }}
    >
      <StrokeShape path={path} strokeWidth={2} />
      <span className="min-w-0">
        <span className={reaction === 'NACK' ? 'font-medium' : undefined}>{word}:</span> {who}
      </span>
    </span>
  );
}
