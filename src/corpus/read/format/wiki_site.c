/* SPDX-License-Identifier: Apache-2.0
 *
 * Namespaces of a wiki. Names are compared as MediaWiki's MediaWikiTitleCodec does: case-folded,
 * underscores as spaces, no space at either end. The older names are those of $namespaceAliases in
 * MediaWiki's languages/messages; a dump does not list them, so they are found by the name that it
 * does list.
 */
#include "corpus/read/format/wiki_site.h"

#include "base/memory.h"
#include "base/strings/append.h"
#include "text/utf8.h"

#include <string.h>
#include <unicode/uchar.h>

enum { NAME_MAX_BYTES = 160 };

typedef struct {
    int key;
    char *name; /* case-folded */
} namespace;

struct ig_wiki_site {
    namespace *names;
    int64_t n, have;
    char language[12];
};

/* Names of the namespace of files and of that of categories: rows of equivalent ones, of which a
 * dump lists one. */
static const char file_names[] =
    "file|image|immagine|文件|档案|檔案|图像|圖像|图片|圖片|影像;datei|bild;fichier|image;"
    "archivo|imagen;ficheiro|arquivo|imagem|imaxe;fitxer|imatge;bestand|afbeelding;"
    "plik|grafika;файл|изображение|зображення|выява|картинка;"
    "датотека|слика|datoteka|slika|податотека;soubor|obrázek;súbor|obrázok;fájl|kép;"
    "fișier|fişier|imagine;tiedosto|kuva;fil|bild|billede|bilde|bilete;pilt|fail;fail|imej;"
    "mynd;attēls;vaizdas;fitxategi|irudi;dosya|resim;fayl|şəkil;αρχείο|εικόνα;קובץ|תמונה;"
    "ملف|صورة;پرونده|تصویر;فائل|تصویر;चित्र|फ़ाइल;চিত্র|ছবি;படிமம்;దస్త్రం|బొమ్మ|ఫైలు;പ്രമാണം|ചിത്രം;"
    "ไฟล์|ภาพ;tập tin|hình;berkas|gambar;ファイル|画像;파일|그림;ფაილი|სურათი;պատկեր|ֆայլ;"
    "dosiero|bildo;fasciculus|imago;delwedd;íomhá;lêer|beeld;skeda|figura;picha|faili;"
    "talaksan|larawan";
static const char category_names[] =
    "category|分类|分類|目錄|カテゴリ;kategorie;catégorie;categoría|categoria;categorie;"
    "kategoria;категория|категорія|катэгорыя|категорија|kategorija;kategória;luokka;kategori;"
    "flokkur;kategooria;kateqoriya;κατηγορία;קטגוריה;تصنيف;رده;زمرہ;श्रेणी|वर्ग;বিষয়শ্রেণী;"
    "பகுப்பு;వర్గం;വർഗ്ഗം;หมวดหมู่;thể loại;분류;კატეგორია;կատեգորիա;kategorio;jamii;kategorya";

/* These are valid in every wiki. */
static const struct {
    int key;
    const char *names;
} english[] = {
    {IG_WIKI_MEDIA, "media"},
    {IG_WIKI_FILE, "file|image"},
    {IG_WIKI_CATEGORY, "category"},
    {IG_WIKI_OTHER,
     "special|talk|user|user talk|project|project talk|file talk|image talk|mediawiki|mediawiki "
     "talk|template|template talk|help|help talk|category talk"},
};

/* Codes of Wikipedias, surrounded by blanks. */
static const char languages[] =
    " aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az"
    " azb ba ban bar bat-smg bbc bcl bdr be be-tarask be-x-old bew bg bh bho bi bjn blk bm bn bo"
    " bpy br bs btm bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr crh cs csb cu cv cy da"
    " dag de dga din diq dsb dtp dty dv dz ee el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo"
    " fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha"
    " hak haw he hi hif ho hr hsb ht hu hy hyw hz ia iba id ie ig igl ii ik ilo inh io is it iu ja"
    " jam jbo jv ka kaa kab kbd kbp kcg kg kge ki kj kk kl km kn knc ko koi kr krc ks ksh ku kus kv"
    " kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms mdf mg"
    " mh mhr mi min mk ml mn mni mnw mo mos mr mrj ms mt mus mwl my myv mzn na nah nan nap nb nds"
    " nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa pag pam pap pcd"
    " pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy rn ro roa-rup roa-tara rsk ru rue rup"
    " rw sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm smn sn so sq sr srn "
    "ss"
    " st stq su sv sw szl szy ta tay tcy tdd te tet tg th ti tig tk tl tly tn to tpi tr trv ts tt"
    " tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa war wo wuu xal xh xmf yi yo yue za"
    " zea zgh zh zh-classical zh-min-nan zh-yue zu ";

ig_code ig_wiki_site_new(ig_wiki_site **out, ig_err *err)
{
    return ig_alloc(out, 1, sizeof **out, "namespaces", err);
}

void ig_wiki_site_free(ig_wiki_site *s)
{
    if (s == NULL)
        return;
    for (int64_t i = 0; i < s->n; i++)
        ig_free(s->names[i].name);
    IG_FREE(s->names, s);
}

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '\t';
}

/* Folds a name for comparison; returns its length, 0 if it is empty or too long. */
static int64_t fold(char out[NAME_MAX_BYTES], const char *name, int64_t n)
{
    const uint8_t *p = (const uint8_t *)name, *const end = p + n;
    int64_t to = 0;
    while (p < end) {
        uint32_t c;
        const bool gap = is_gap((char)*p);
        p += ig_utf8_next(p, end, &c);
        if (gap && (to == 0 || out[to - 1] == ' '))
            continue;
        if (to + 5 > NAME_MAX_BYTES)
            return 0;
        to += ig_utf8_put((uint8_t *)out + to,
                          gap ? ' ' : (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT));
    }
    to -= to > 0 && out[to - 1] == ' ';
    out[to] = '\0';
    return to;
}

ig_code ig_wiki_site_add(ig_wiki_site *s, int key, const char *name, int64_t n, ig_err *err)
{
    char folded[NAME_MAX_BYTES];
    if (key == IG_WIKI_ARTICLE || fold(folded, name, n) == 0)
        return IG_ERR_OK;
    IG_TRY(ig_grow(&s->names, &s->have, s->n + 1, sizeof *s->names, "namespaces", err));
    IG_TRY(ig_copy_text(&s->names[s->n].name, folded, "namespaces", err));
    s->names[s->n++].key = key;
    return IG_ERR_OK;
}

void ig_wiki_site_set_language(ig_wiki_site *s, const char *tag)
{
    size_t n = strcspn(tag, "-_");
    n = n < sizeof s->language ? n : 0;
    for (size_t i = 0; i < n; i++)
        s->language[i] = (char)(tag[i] >= 'A' && tag[i] <= 'Z' ? tag[i] - 'A' + 'a' : tag[i]);
    s->language[n] = '\0';
}

const char *ig_wiki_site_language(const ig_wiki_site *s)
{
    return s->language;
}

/* Returns whether `name` is in a row. */
static bool in_row(const char *row, const char *name)
{
    const size_t n = strlen(name);
    while (true) {
        const size_t m = strcspn(row, "|;");
        if (m == n && memcmp(row, name, n) == 0)
            return true;
        if (row[m] != '|')
            return false;
        row += m + 1;
    }
}

/* The names of a row are valid if the dump has one of them, or names no such namespace. */
static bool row_counts(const ig_wiki_site *s, int key, const char *row)
{
    bool named = false;
    for (int64_t i = 0; i < s->n; i++) {
        if (s->names[i].key != key)
            continue;
        named = true;
        if (in_row(row, s->names[i].name))
            return true;
    }
    return !named;
}

int ig_wiki_site_namespace(const ig_wiki_site *s, const char *title, int64_t n)
{
    static const struct {
        int key;
        const char *rows;
    } older[] = {{IG_WIKI_FILE, file_names}, {IG_WIKI_CATEGORY, category_names}};
    char name[NAME_MAX_BYTES];
    const char *colon = memchr(title, ':', (size_t)n);
    if (colon == NULL || fold(name, title, colon - title) == 0)
        return IG_WIKI_ARTICLE;
    for (int64_t i = 0; i < s->n; i++)
        if (strcmp(s->names[i].name, name) == 0)
            return s->names[i].key;
    for (size_t i = 0; i < sizeof english / sizeof *english; i++)
        if (in_row(english[i].names, name))
            return english[i].key;
    for (size_t i = 0; i < sizeof older / sizeof *older; i++)
        for (const char *row = older[i].rows; row != NULL; row = strchr(row, ';')) {
            row += *row == ';';
            if (in_row(row, name) && row_counts(s, older[i].key, row))
                return older[i].key;
        }
    return IG_WIKI_ARTICLE;
}

bool ig_wiki_is_interlanguage(const char *title, int64_t n)
{
    char code[NAME_MAX_BYTES + 2] = " ";
    const char *colon = memchr(title, ':', (size_t)n);
    const int64_t m =
        colon != NULL && colon - title < 20 ? fold(code + 1, title, colon - title) : 0;
    if (m < 2 || strchr(code + 1, ' ') != NULL)
        return false;
    strcpy(code + 1 + m, " ");
    return strstr(languages, code) != NULL;
}
