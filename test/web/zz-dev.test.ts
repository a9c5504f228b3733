import { test } from 'vitest';
import { liveIn } from '../support/lived-in-home.ts';
import { WebHere } from '../support/web-here.ts';
import { writeFileSync, existsSync } from 'node:fs';
test('dev', async () => {
  const home = await liveIn();
  const web = await WebHere.open(home.story.directory, home.env, home.story.now);
  const { link } = await web.listen();
  for (const { campaign } of await (await web.services.reader()).campaigns()) console.log(campaign.id, campaign.name);
  writeFileSync('/tmp/wt-d-link', link);
  while (!existsSync('/tmp/wt-d-stop')) await new Promise((r) => setTimeout(r, 700));
}, 36e5);
