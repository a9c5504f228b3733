import type { JobKeys } from '../../../campaign/jobs/job-text.ts';
import type { Words } from '../../words/words.ts';

/** The fields of a form as they came; a field may come several times. */
export type Typed = Readonly<Record<string, string | undefined>>;

/** What a form says: the keys of the job to change (null removes one), and the fields that are wrong. */
export interface FormReading {
  job: JobChange;
  wrong: WrongField[];
}

/** Keys of a job to set; null removes one. */
export type JobChange = { [Key in keyof JobKeys]?: JobKeys[Key] | null };

type Problems = Words['newCampaign']['problems'];
/** A problem whose words need no more facts. */
export type PlainProblem = {
  [Name in keyof Problems]: Problems[Name] extends string ? Name : never;
}[keyof Problems];

/** A field that cannot stay as it is. */
export interface WrongField {
  field: string;
  problem: PlainProblem;
}

/** A field without the blanks around it; empty when it did not come. */
export function trimmed(typed: Typed, name: string): string {
  return (typed[name] ?? '').trim();
}
