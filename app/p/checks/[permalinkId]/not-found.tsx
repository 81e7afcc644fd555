import { Shell } from '@/app/_components/shell/shell';
import PermalinkNotFound from '../../[permalinkId]/not-found';

export default function SharedRunNotFound() {
  return (
    <Shell>
      <PermalinkNotFound />
    </Shell>
  );
}
