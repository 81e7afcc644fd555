/** The address of a client without a tab shows its graph. */
export { default } from './[tab]/page';
