import type { tasks as english } from '../en/tasks.ts';

/** Words of long work: files of many messages, and the removal of personal data. */
export const tasks: typeof english = {
  kinds: {
    export: 'Faili ya ujumbe',
    purge: 'Kuondoa data binafsi ya zamani',
    erase: 'Kuondoa data ya mtu mmoja',
  },
  working: 'Kazi inaendelea',
  workingHelp: 'Unaweza kuondoka kwenye ukurasa huu na kurudi. Ukurasa hutazama kila sekunde mbili.',
  rows: (done) => `Mistari ${done} hadi sasa.`,
  rowsOf: (done, all) => `Mistari ${done} kati ya ${all}.`,
  progress: 'Iliyofanyika hadi sasa',
  stopped: 'Kazi ilisimama kabla ya kuisha',
  stoppedHelp: 'Kompyuta au programu ilizimwa wakati huo. Hakuna kilichopotea: ianze tena.',
  again: 'Ianze tena',
  failed: 'Kazi haikuweza kufanyika',
  removed: 'Data imeondolewa',
  fileReady: 'Faili iko tayari',
  fileErased: 'Faili iliondolewa kwa sababu data ya mtu ilifutwa. Itengeneze tena.',
  fileHolds: (rows, size) => `Mistari ${rows}, ${size}. Ina namba kamili za simu.`,
  download: (name) => `Pakua ${name}`,
  keptUntil: 'Faili itaondolewa hapa',
  askTitle: (rows) => `Faili hii inaweza kuwa na mistari ${rows}`,
  askHelp:
    'Mistari mingi hivyo huchukua muda. Faili hutengenezwa huku ukifanya mengine, na huhifadhiwa siku moja. Ina namba kamili za simu.',
  askButton: 'Tengeneza faili',
  toCampaign: 'Kwenye kampeni',
  filesTitle: 'Faili ulizoomba',
  fileFrom: 'iliombwa',
  states: {
    working: 'inatengenezwa',
    stopped: 'ilisimama',
    done: 'iko tayari',
    failed: 'haikuweza kutengenezwa',
    erased: 'iliondolewa',
  },
};
